# Makes the jax of .deps importable, as scripts/setup --with-jax unpacked it. Imported by scripts, not run.
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def wheels():
  """The names of the wheels that scripts/wheels.txt has for jax."""
  rows = [line.split() for line in (ROOT / 'scripts/wheels.txt').read_text().splitlines()]
  return [row[0].split('==')[0] for row in rows if len(row) > 1 and row[1] == 'with-jax']


def find_jax():
  """Puts them on the path. Without them a jax that is installed will do; without any, exits and says what to type."""
  sys.path[:0] = [str(ROOT / '.deps' / name) for name in wheels() if (ROOT / '.deps' / name).is_dir()]
  try:
    import jaxlib  # noqa: F401
  except ImportError as error:
    sys.stderr.write(f'{pathlib.Path(sys.argv[0]).name}: needs jax ({error}): scripts/setup --with-jax\n')
    sys.exit(69)


def mosaic_text(body):
  """MLIR bytecode -> text in generic form."""
  from jax._src.tpu_custom_call import tpu
  from jaxlib.mlir import ir
  context = ir.Context()
  context.allow_unregistered_dialects = True
  tpu.register_dialect(context)
  with context:
    return str(ir.Module.parse(body))
