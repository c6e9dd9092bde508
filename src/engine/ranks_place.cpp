// Each launcher tells a process its place in different variables:
//
//   torchrun        RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT
//   srun            SLURM_PROCID, SLURM_STEP_NUM_TASKS (older: SLURM_NTASKS), SLURM_LOCALID; a
//   batch
//                   script has some of these too, but no SLURM_STEP_ID
//   Open MPI        OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE
//   MPICH, Intel    PMI_RANK, PMI_SIZE, MPI_LOCALRANKID, MPI_LOCALNRANKS
//
// The first that is there counts. Ranks meet at MASTER_ADDR and MASTER_PORT, if set;
// else under srun the first host of the step's list, under mpirun this host if all ranks are on it.
// Sources: PyTorch, "torchrun"; Slurm, srun(1), "OUTPUT ENVIRONMENT VARIABLES"; Open MPI,
// mpirun(1); MPICH, "Using the Hydra Process Manager".

#include <unistd.h>

#include <limits>

#include "base/format.hpp"
#include "ranks.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::engine {
namespace {

using Variables = std::map<std::string, std::string>;

constexpr int usual_port = 29500;

[[noreturn]] void fail(const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::input, message, hint);
}

const std::string* find(const Variables& variables, const std::string& name) {
  const auto found = variables.find(name);
  return found == variables.end() || found->second.empty() ? nullptr : &found->second;
}

int number(const Variables& variables, const std::string& name, std::string_view launcher) {
  const std::string* const text = find(variables, name);
  if (text == nullptr) {
    fail(format("{} started this process, but the variable {} is missing", launcher, name),
         "the ranks of a job need all of its variables; unset them to run without the launcher");
  }
  const std::optional<std::int64_t> value = parse_integer(*text);
  if (!value || *value < 0 || *value > std::numeric_limits<int>::max()) {
    fail(format("the variable {} of {} is '{}', not a whole number of 0 or more", name, launcher,
                *text),
         "");
  }
  return static_cast<int>(*value);
}

void check(const RankPlace& place, const std::string& rank_name, const std::string& size_name,
           const std::string& local_name) {
  if (place.size < 1)
    fail(format("{} is {}: a job has one rank at least", size_name, place.size), "");
  if (place.rank >= place.size) {
    fail(format("{} {} is not below {} {}", rank_name, place.rank, size_name, place.size),
         "ranks count from 0");
  }
  if (place.local_rank > place.rank) {
    fail(format("{} {} is above {} {}", local_name, place.local_rank, rank_name, place.rank),
         "a host's first rank has local rank 0");
  }
}

/// MASTER_ADDR and MASTER_PORT where they are set.
bool take_master(const Variables& variables, RankPlace& place) {
  if (find(variables, "MASTER_PORT") != nullptr) {
    place.port = number(variables, "MASTER_PORT", "the launcher");
    if (place.port < 1 || place.port > 65535) {
      fail(format("MASTER_PORT {} is not a port", place.port), "1 to 65535");
    }
  }
  const std::string* const master = find(variables, "MASTER_ADDR");
  if (master != nullptr) place.master = *master;
  return master != nullptr;
}

/// `gpu[03-05,9],login` begins with gpu03.
std::string first_host(const std::string& list) {
  const std::size_t bracket = list.find('[');
  const std::size_t comma = list.find(',');
  if (bracket == std::string::npos || comma < bracket) return list.substr(0, comma);
  const std::size_t end = list.find_first_of(",-]", bracket);
  const std::size_t close = list.find(']', bracket);
  if (close == std::string::npos) return list.substr(0, bracket);
  const std::size_t after = list.find(',', close);
  const std::string rest =
      list.substr(close + 1, after == std::string::npos ? after : after - close - 1);
  return list.substr(0, bracket) + list.substr(bracket + 1, end - bracket - 1) + rest;
}

RankPlace torchrun_place(const Variables& variables) {
  constexpr std::string_view launcher = "torchrun";
  RankPlace place;
  place.rank = number(variables, "RANK", launcher);
  place.size = number(variables, "WORLD_SIZE", launcher);
  place.local_rank = place.size == 1 && find(variables, "LOCAL_RANK") == nullptr
                         ? 0
                         : number(variables, "LOCAL_RANK", launcher);
  check(place, "RANK", "WORLD_SIZE", "LOCAL_RANK");
  if (!take_master(variables, place) && place.size > 1) {
    fail("torchrun started this process, but the variable MASTER_ADDR is missing",
         "the host of rank 0, as the others reach it");
  }
  if (place.port == 0 && place.size > 1) {
    fail("torchrun started this process, but the variable MASTER_PORT is missing",
         "a free port of rank 0's host");
  }
  return place;
}

RankPlace srun_place(const Variables& variables) {
  constexpr std::string_view launcher = "srun";
  const bool of_step = find(variables, "SLURM_STEP_NUM_TASKS") != nullptr;
  const std::string size_name = of_step ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  RankPlace place;
  place.rank = number(variables, "SLURM_PROCID", launcher);
  place.size = number(variables, size_name, launcher);
  place.local_rank = number(variables, "SLURM_LOCALID", launcher);
  check(place, "SLURM_PROCID", size_name, "SLURM_LOCALID");
  if (!take_master(variables, place)) {
    const std::string* hosts = find(variables, "SLURM_STEP_NODELIST");
    if (hosts == nullptr) hosts = find(variables, "SLURM_JOB_NODELIST");
    if (hosts != nullptr) {
      place.master = first_host(*hosts);
    } else if (place.size > 1) {
      fail("srun started this process, but neither MASTER_ADDR nor SLURM_JOB_NODELIST is set",
           "export MASTER_ADDR, the host of rank 0");
    }
  }
  if (place.port == 0) {
    // Jobs that share a host must not meet at one port; all ranks of a job find the same.
    constexpr int first_port = 20000;
    constexpr int ports = 12000;
    const std::string* const job = find(variables, "SLURM_JOB_ID");
    place.port = job == nullptr ? usual_port
                                : first_port + number(variables, "SLURM_JOB_ID", launcher) % ports;
  }
  return place;
}

struct MpiNames {
  std::string launcher;
  std::string rank;
  std::string size;
  std::string local_rank;
  std::string local_size;
};

RankPlace mpi_place(const Variables& variables, const MpiNames& names) {
  RankPlace place;
  place.rank = number(variables, names.rank, names.launcher);
  place.size = number(variables, names.size, names.launcher);
  place.local_rank = number(variables, names.local_rank, names.launcher);
  check(place, names.rank, names.size, names.local_rank);
  if (!take_master(variables, place)) {
    const std::string* const here = find(variables, names.local_size);
    const bool one_host = here != nullptr && *here == std::to_string(place.size);
    if (!one_host && place.size > 1) {
      fail("mpirun started ranks on several hosts, but the variable MASTER_ADDR is missing",
           "pass it on: mpirun -x MASTER_ADDR=HOST (Open MPI), -genv MASTER_ADDR HOST (MPICH)");
    }
  }
  if (place.port == 0) place.port = usual_port;
  return place;
}

}  // namespace

std::map<std::string, std::string> own_environment() {
  Variables variables;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t sign = text.find('=');
    if (sign == std::string_view::npos) continue;
    variables.emplace(text.substr(0, sign), text.substr(sign + 1));
  }
  return variables;
}

std::optional<RankPlace> place_from_environment(const Variables& environment) {
  const auto has = [&environment](const char* name) { return find(environment, name) != nullptr; };
  if (has("RANK") || has("WORLD_SIZE")) return torchrun_place(environment);
  if (has("SLURM_STEP_ID") && has("SLURM_PROCID")) return srun_place(environment);
  if (has("OMPI_COMM_WORLD_RANK") || has("OMPI_COMM_WORLD_SIZE")) {
    return mpi_place(environment, {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                   "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"});
  }
  if (has("PMI_RANK") || has("PMI_SIZE")) {
    return mpi_place(environment,
                     {"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"});
  }
  return std::nullopt;
}

}  // namespace rooflab::engine
