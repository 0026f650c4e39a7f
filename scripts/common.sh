# What the scripts in this folder share. Sourced, not run.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=$root/.deps

# One progress line, on stderr: stdout is for results.
say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# Prints the comment at the top of the running script: its --help.
usage() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

bad_usage() { say "$1 (see ${0##*/} --help)"; exit 64; }

# Where a preset of CMakePresets.json builds, relative to the root.
build_dir() { if [ "$1" = release ]; then echo build; else echo "build-$1"; fi; }
