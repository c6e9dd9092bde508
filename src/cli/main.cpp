#include "program.hpp"

int main(int argc, char** argv) { return rooflab::cli::run_program(argc, argv); }
