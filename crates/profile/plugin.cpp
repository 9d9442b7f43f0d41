// A plugin of Oclgrind that records a kernel's memory accesses as a warp would
// execute them. `src/plugin.rs` compiles it, and `src/record.rs` reads its
// output.
//
// Oclgrind runs a work-item to the next barrier, and then the next item,
// whereas a device runs the items of a warp together. So the accesses of a
// work-group are kept until the barrier. Then the n-th execution of an
// instruction by each item of a warp is treated as one moment. Its addresses,
// relative to a multiple of 128 bytes, form a pattern. A repeated pattern only
// increases a count, which keeps the output short.

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <oclgrind/Context.h>
#include <oclgrind/Plugin.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Memory.h>
#include <oclgrind/WorkGroup.h>
#include <oclgrind/WorkItem.h>

// Only LLVM's C interface is used. It is the same in every version, so LLVM's
// headers are not needed.
extern "C" {
int LLVMGetInstructionOpcode(const void *instruction);
unsigned LLVMGetDebugLocLine(const void *instruction);
unsigned LLVMGetDebugLocColumn(const void *instruction);
int LLVMIsConditional(const void *branch);
const void *LLVMGetCondition(const void *branch);
const void *LLVMGetCalledValue(const void *call);
const char *LLVMGetValueName2(const void *value, size_t *length);
}
enum { BRANCH = 2, LOAD = 27, STORE = 28, CALL = 45 };

namespace oclgrind {
// Oclgrind's headers would include LLVM's.
class Program {
public:
  const char *getSourceLine(size_t line) const;
};
class Kernel {
public:
  const std::string &getName() const;
  const Program *getProgram() const;
};
} // namespace oclgrind

using namespace oclgrind;
using llvm::Instruction;

namespace {

constexpr int64_t NOBODY = -1;
constexpr size_t LINE = 128, SECTOR = 32;

// An instruction and the call that led to it, and the kind and size of the
// access.
using Place = std::tuple<const Instruction *, const Instruction *, char, size_t>;
// The values of each item, in the order of execution.
using History = std::vector<std::vector<int64_t>>;
using Pattern = std::vector<int64_t>;

struct Code {
  int opcode;
  unsigned line, column;
  const void *condition;
  std::string called;
  // The number of executions by each item since the last barrier.
  std::vector<uint32_t> visits;
};

struct Work {
  uint64_t moments = 0, lanes = 0;
};

class Profile : public Plugin {
public:
  Profile(const Context *context) : Plugin(context) {
    const char *file = getenv("RUNGRAD_PROFILE_LOG");
    const char *warp = getenv("RUNGRAD_PROFILE_WARP");
    out.open(file ? file : "profile.log");
    width = warp && atoi(warp) > 0 ? atoi(warp) : 32;
  }

  bool isThreadSafe() const override { return false; }

  void kernelBegin(const KernelInvocation *launch) override {
    codes.clear(), work.clear(), patterns.clear(), branches.clear();
    operations.clear(), barriers.clear(), touched.clear(), local = 0;
    busiest = 0;
    auto global = launch->getGlobalSize(), size = launch->getLocalSize();
    items = size.x * size.y * size.z;
    across = size;
    loaded.assign((items + width - 1) / width, 0);
    out << "launch " << launch->getKernel()->getName() << ' ' << width;
    for (int d = 0; d < 3; d++)
      out << ' ' << global[d] << ' ' << size[d];
    out << '\n';
  }

  void kernelEnd(const KernelInvocation *launch) override {
    out << "local " << local << '\n';
    out << "touched " << touched.size() * SECTOR << '\n';
    out << "busiest " << busiest << '\n';
    auto program = launch->getKernel()->getProgram();
    for (auto &[line, work] : work) {
      auto text = line ? program->getSourceLine(line) : nullptr;
      out << "line " << line << ' ' << work.moments << ' ' << work.lanes << ' '
          << (text ? text : "") << '\n';
    }
    for (auto &[what, count] : operations)
      out << "operation " << what.first << ' ' << what.second << ' ' << count
          << '\n';
    for (auto &[line, count] : barriers)
      out << "barrier " << line << ' ' << count << '\n';
    for (auto &[line, work] : branches)
      out << "branch " << line << ' ' << work.moments << ' ' << work.lanes
          << '\n';
    for (auto &[where, counts] : patterns)
      for (auto &[pattern, count] : counts) {
        auto &[line, column, kind, bytes] = where;
        out << "access " << line << ' ' << column << ' ' << kind << ' ' << bytes
            << ' ' << count;
        for (int64_t offset : pattern)
          offset == NOBODY ? out << " -" : out << ' ' << offset;
        out << '\n';
      }
    out << "end" << std::endl;
  }

  void instructionExecuted(const WorkItem *item, const Instruction *instruction,
                           const TypedValue &result) override {
    Code &code = look(instruction);
    size_t place = index(item);
    code.visits[place]++;
    if (code.condition) {
      auto condition = static_cast<const llvm::Value *>(code.condition);
      keep(turns, {instruction, caller(item), 'b', 0}, place,
           item->getOperand(condition).getUInt() & 1);
    }
    if (code.opcode != LOAD && code.opcode != STORE) {
      auto name = code.called.empty() ? std::to_string(code.opcode) : code.called;
      operations[{name, std::max(1u, result.num)}]++;
    }
  }

  void memoryLoad(const Memory *memory, const WorkItem *item, size_t address,
                  size_t size) override {
    access(memory, item, address, size, "lL");
  }
  void memoryStore(const Memory *memory, const WorkItem *item, size_t address,
                   size_t size, const uint8_t *) override {
    access(memory, item, address, size, "sS");
  }
  // An atomic operation both loads and stores, but it counts as one access.
  void memoryAtomicLoad(const Memory *memory, const WorkItem *item, AtomicOp,
                        size_t address, size_t size) override {
    access(memory, item, address, size, "aA");
  }

  void workGroupBarrier(const WorkGroup *group, uint32_t) override {
    if (auto barrier = group->getCurrentBarrier())
      barriers[LLVMGetDebugLocLine(barrier)]++;
    settle();
  }
  void workGroupComplete(const WorkGroup *group) override {
    busiest += *std::max_element(loaded.begin(), loaded.end());
    std::fill(loaded.begin(), loaded.end(), 0);
    local = std::max(local, group->getLocalMemory()->getTotalAllocated());
    settle();
  }

private:
  size_t index(const WorkItem *item) const {
    auto id = item->getLocalID();
    return id.x + across.x * (id.y + across.y * id.z);
  }

  static const Instruction *caller(const WorkItem *item) {
    auto &calls = item->getCallStack();
    return calls.empty() ? nullptr : calls.top();
  }

  Code &look(const Instruction *instruction) {
    auto found = codes.find(instruction);
    if (found != codes.end())
      return found->second;
    Code code{LLVMGetInstructionOpcode(instruction),
              LLVMGetDebugLocLine(instruction),
              LLVMGetDebugLocColumn(instruction), nullptr, "",
              std::vector<uint32_t>(items)};
    if (code.opcode == BRANCH && LLVMIsConditional(instruction))
      code.condition = LLVMGetCondition(instruction);
    if (code.opcode == CALL) {
      size_t length = 0;
      auto name = LLVMGetValueName2(LLVMGetCalledValue(instruction), &length);
      code.called.assign(name, length);
    }
    return codes.emplace(instruction, std::move(code)).first->second;
  }

  void keep(std::map<Place, History> &histories, Place where, size_t item,
            int64_t what) {
    auto &history = histories[where];
    history.resize(items);
    history[item].push_back(what);
  }

  // Capital letters mean local memory.
  void access(const Memory *memory, const WorkItem *item, size_t address,
              size_t size, const char *kinds) {
    auto space = memory->getAddressSpace();
    if (space != AddrSpaceGlobal && space != AddrSpaceLocal)
      return;
    char kind = kinds[space == AddrSpaceLocal];
    if (space == AddrSpaceGlobal)
      for (size_t sector = address / SECTOR; sector * SECTOR < address + size; sector++)
        touched.insert(sector);
    if (kind == 'l')
      loaded[index(item) / width] += (size + 3) / 4;
    keep(accesses, {item->getCurrentInstruction(), caller(item), kind, size},
         index(item), address);
  }

  // Calls `see` with each moment of each warp and the values of its items.
  template <typename See> void moments(const History &history, See see) {
    for (size_t first = 0; first < items; first += width) {
      size_t end = std::min(first + width, items), depth = 0;
      for (size_t i = first; i < end; i++)
        depth = std::max(depth, history[i].size());
      for (size_t time = 0; time < depth; time++) {
        Pattern pattern(width, NOBODY);
        for (size_t i = first; i < end; i++)
          if (time < history[i].size())
            pattern[i - first] = history[i][time];
        see(pattern);
      }
    }
  }

  // Combines everything that was executed since the last barrier.
  void settle() {
    for (auto &[where, history] : accesses) {
      auto &[instruction, call, kind, bytes] = where;
      auto &code = look(instruction);
      auto &counts = patterns[{code.line, code.column, kind, bytes}];
      moments(history, [&](Pattern &pattern) {
        int64_t least = INT64_MAX;
        for (int64_t address : pattern)
          least = address == NOBODY ? least : std::min(least, address);
        for (int64_t &address : pattern)
          address -= address == NOBODY ? 0 : least / LINE * LINE;
        counts[pattern]++;
      });
    }
    // Counts how often a warp executed a branch, and how often it diverged.
    for (auto &[where, history] : turns) {
      auto &count = branches[look(std::get<0>(where)).line];
      moments(history, [&](const Pattern &pattern) {
        auto went = [&](int64_t way) {
          return std::count(pattern.begin(), pattern.end(), way) > 0;
        };
        count.moments++, count.lanes += went(0) && went(1);
      });
    }
    for (auto &[instruction, code] : codes)
      for (size_t first = 0; first < items; first += width) {
        auto begin = code.visits.begin() + first;
        auto end = code.visits.begin() + std::min(first + width, items);
        auto &line = work[code.line];
        line.moments += *std::max_element(begin, end);
        for (auto visit = begin; visit != end; visit++)
          line.lanes += *visit;
        std::fill(begin, end, 0);
      }
    accesses.clear(), turns.clear();
  }

  std::ofstream out;
  size_t width, items = 0, local = 0;
  // The number of elements that each warp of this group has loaded from global
  // memory, and the sum over all groups of their busiest warps.
  std::vector<uint64_t> loaded;
  uint64_t busiest = 0;
  Size3 across;
  std::unordered_map<const Instruction *, Code> codes;
  // The touched sectors of global memory, each counted once.
  std::unordered_set<size_t> touched;
  std::map<Place, History> accesses, turns;
  std::map<unsigned, Work> work, branches;
  std::map<unsigned, uint64_t> barriers;
  std::map<std::pair<std::string, unsigned>, uint64_t> operations;
  // By line and column, kind and size.
  std::map<std::tuple<unsigned, unsigned, char, size_t>,
           std::map<Pattern, uint64_t>>
      patterns;
};

Profile *profile;

} // namespace

extern "C" void initializePlugins(Context *context) {
  profile = new Profile(context);
  context->registerPlugin(profile);
}

extern "C" void releasePlugins(Context *context) {
  context->unregisterPlugin(profile);
  delete profile;
}
