#include "import/ncu_command.hpp"

#include <gtest/gtest.h>

namespace rooflab::import {
namespace {

TEST(NcuCommand, AsksForAllThatAChipNeeds) {
  const std::string op = "smsp__sass_thread_inst_executed_op_";
  const std::string on = "_pred_on.sum,";
  EXPECT_EQ(ncu_command({9, 0}),
            "ncu --csv --page raw --print-units base --metrics gpu__time_duration.sum,"
            "dram__bytes_read.sum,dram__bytes_write.sum," +
                op + "dadd" + on + op + "dmul" + on + op + "dfma" + on + op + "fadd" + on + op +
                "fmul" + on + op + "ffma" + on + op + "hadd" + on + op + "hmul" + on + op + "hfma" +
                on +
                "sm__ops_path_tensor_src_fp16.sum,sm__ops_path_tensor_src_bf16_dst_fp32.sum,"
                "sm__ops_path_tensor_src_tf32_dst_fp32.sum,sm__ops_path_tensor_src_fp64.sum,"
                "sm__ops_path_tensor_src_fp8.sum --log-file run.csv PROGRAM");
}

}  // namespace
}  // namespace rooflab::import
