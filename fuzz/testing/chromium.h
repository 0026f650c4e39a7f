// A headless Chromium behind its debugging pipe: loads a page, asks it, photographs it.
// Not for: anything but tests; nothing that is loaded needs a network.
#ifndef OOMPH_FUZZ_TESTING_CHROMIUM_H_
#define OOMPH_FUZZ_TESTING_CHROMIUM_H_

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace oomph {

class Chromium {
 public:
  using json = nlohmann::json;

  static std::string Program() {
    for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"}) {
      if (access(path, X_OK) == 0) return path;
    }
    return "";
  }

  explicit Chromium(const std::string& profile_folder) {
    signal(SIGPIPE, SIG_IGN);
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ == 0) Become(Program(), profile_folder, to[0], from[1]);
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
    const json target = Call("Target.createTarget", {{"url", "about:blank"}});
    session_ = Call("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}})["sessionId"];
    for (const char* domain : {"Page.enable", "Runtime.enable", "Log.enable"}) Call(domain);
  }
  ~Chromium() {
    close(to_);
    close(from_);
    kill(-pid_, SIGKILL);  // its own group
    waitpid(pid_, nullptr, 0);
  }
  Chromium(const Chromium&) = delete;
  Chromium& operator=(const Chromium&) = delete;

  // One command and its result. Events that come in between are kept.
  json Call(const std::string& method, json params = json::object()) {
    const int id = ++last_id_;
    json message = {{"id", id}, {"method", method}, {"params", std::move(params)}};
    if (!session_.empty()) message["sessionId"] = session_;
    Write(message.dump() + '\0');
    while (true) {
      json answer = Read();
      if (!answer.contains("id")) {
        events_.push_back(std::move(answer));
      } else if (answer["id"] == id) {
        if (answer.contains("error")) throw std::runtime_error(method + ": " + answer["error"].dump());
        return answer["result"];
      }
    }
  }

  void Load(const std::string& file) {
    Call("Page.navigate", {{"url", "file://" + file}});
    while (!Saw("Page.loadEventFired")) events_.push_back(Read());
  }
  json Ask(const std::string& expression) {
    const json answer = Call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}});
    if (answer.contains("exceptionDetails")) throw std::runtime_error(answer.dump());
    return answer["result"].value("value", json());
  }
  void Look(int width, int height, bool dark) {
    Call("Emulation.setDeviceMetricsOverride",
         {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", width < 500}});
    const json scheme = {{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}};
    Call("Emulation.setEmulatedMedia", {{"features", json::array({scheme})}});
  }
  // PNG in base64.
  std::string Screenshot() { return Call("Page.captureScreenshot", {{"format", "png"}})["data"]; }

  bool Saw(const std::string& method) const { return !Events(method).empty(); }
  std::vector<json> Events(const std::string& method) const {
    std::vector<json> found;
    for (const json& each : events_) {
      if (each["method"] == method) found.push_back(each["params"]);
    }
    return found;
  }

 private:
  [[noreturn]] static void Become(const std::string& program, const std::string& profile, int in, int out) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    in = fcntl(in, F_DUPFD, 10);
    out = fcntl(out, F_DUPFD, 10);
    dup2(in, 3);
    dup2(out, 4);
    close_range(5, ~0U, 0);
    const int null = open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) dup2(null, fd);
    const std::string data = "--user-data-dir=" + profile;
    execl(program.c_str(), program.c_str(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
          "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
          "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe", data.c_str(), "about:blank", nullptr);
    _exit(127);
  }

  void Write(const std::string& bytes) {
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t n = write(to_, bytes.data() + at, bytes.size() - at);
      if (n <= 0) throw std::runtime_error("the browser is gone");
      at += static_cast<size_t>(n);
    }
  }

  json Read() {
    size_t end = buffer_.find('\0');
    while (end == buffer_.npos) {
      pollfd wait = {from_, POLLIN, 0};
      if (poll(&wait, 1, 120'000) <= 0) throw std::runtime_error("the browser does not answer");
      char chunk[1 << 16];
      const ssize_t n = read(from_, chunk, sizeof(chunk));
      if (n <= 0) throw std::runtime_error("the browser is gone");
      buffer_.append(chunk, static_cast<size_t>(n));
      end = buffer_.find('\0');
    }
    const json message = json::parse(buffer_.substr(0, end));
    buffer_.erase(0, end + 1);
    return message;
  }

  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  int last_id_ = 0;
  std::string session_, buffer_;
  std::vector<json> events_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_TESTING_CHROMIUM_H_
