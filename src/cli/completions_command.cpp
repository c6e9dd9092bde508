#include <memory>

#include "commands.hpp"
#include "flag_table.hpp"
#include "flag_value.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::cli {
namespace {

std::vector<std::string> long_names(const CommandRow& command) {
  std::vector<std::string> names;
  for (const FlagRow& flag : command.flags) {
    if (flag.positional) continue;
    for (const std::string& name : split(flag.names, ',')) names.push_back(name);
  }
  return names;
}

std::string shell_quoted(std::string_view text) {
  std::string safe;
  for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + safe + "'";
}

std::string bash(const std::vector<CommandRow>& commands) {
  std::vector<std::string> names;
  std::string cases;
  for (const CommandRow& command : commands) {
    names.push_back(command.name);
    cases +=
        format("    {}) words={} ;;\n", command.name, shell_quoted(join(long_names(command), " ")));
  }
  return format(R"(_rooflab() {{
  local words cur=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W {} -- "$cur"))
    return
  fi
  case $previous in
    --device) if [ "${{COMP_WORDS[1]}}" = measure ]; then
        COMPREPLY=($(compgen -W 'cpu cuda' -- "$cur")); return
      fi ;;&
    --device|--limit-device) words=$(rooflab devices --format csv 2>/dev/null | tail -n +2 | cut -d, -f1)
      COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
    -o|--output|--devices-dir) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [ "${{cur#-}}" = "$cur" ]; then
    words=$(rooflab models --format csv 2>/dev/null | tail -n +2 | cut -d, -f1)
    COMPREPLY=($(compgen -f -W "$words" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}}
complete -o filenames -F _rooflab rooflab
)",
                shell_quoted(join(names, " ")), cases);
}

std::string fish(const std::vector<CommandRow>& commands) {
  std::string text;
  for (const CommandRow& command : commands) {
    text += format("complete -c rooflab -n __fish_use_subcommand -a {} -d {}\n", command.name,
                   shell_quoted(command.description));
    for (const FlagRow& flag : command.flags) {
      if (flag.positional) continue;
      std::string names;
      for (const std::string& name : split(flag.names, ',')) {
        names += name.starts_with("--") ? format(" -l {}", name.substr(2))
                                        : format(" -s {}", name.substr(1));
      }
      text += format("complete -c rooflab -n '__fish_seen_subcommand_from {}'{}{} -d {}\n",
                     command.name, names, flag.value.empty() ? "" : " -r",
                     shell_quoted(flag.description));
    }
  }
  return text;
}

std::string manual_escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '-' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

/// A page for man(1), section 1.
std::string manual(const std::vector<CommandRow>& commands) {
  std::string text = format(
      ".TH ROOFLAB 1 \"\" \"rooflab {}\" \"User Commands\"\n.SH NAME\nrooflab \\- how fast a "
      "neural "
      "network could run on a device\n.SH SYNOPSIS\n.B rooflab\n.I COMMAND\n[\\fIOPTION\\fR]...\n"
      ".SH COMMANDS\n",
      ROOFLAB_VERSION);
  for (const CommandRow& command : commands) {
    text += format(".SS {}\n{}\n", command.name, manual_escaped(command.description));
    for (const FlagRow& flag : command.flags) {
      text += format(".TP\n\\fB{}\\fR {}\n{}\n", manual_escaped(flag.names),
                     manual_escaped(flag.value), manual_escaped(flag.description));
    }
  }
  return text +
         ".SH EXIT STATUS\n0 done; 1 a check that was asked for failed; 2 usage or input; 3 "
         "something needed is missing here.\n";
}

}  // namespace

void add_completions_command(Command program, Session& session) {
  Command app = program.add_subcommand(
      "completions", "print shell completions (bash, fish) or the manual page (man)");
  const auto kind = std::make_shared<std::string>();
  app.add_option("kind", *kind, "bash, fish or man").required().type_name("KIND");
  app.callback([kind, program, &session] {
    const std::vector<CommandRow> commands = flag_table(program);
    if (*kind == "bash") {
      session.console.print(bash(commands));
    } else if (*kind == "fish") {
      session.console.print(fish(commands));
    } else if (*kind == "man") {
      session.console.print(manual(commands));
    } else {
      throw_unknown("kind", *kind, {"bash", "fish", "man"});
    }
  });
}

}  // namespace rooflab::cli
