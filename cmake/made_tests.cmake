# cases, python: what the program says of inputs that other packages wrote, tests/data/made/today.csv. What
# rooflab.from_config says needs transformers: without it and without tools/python's environment that test is skipped.
if(ROOFLAB_PYTHON)
  set(made_today ${ROOFLAB_PYTHON} ${PROJECT_SOURCE_DIR}/tests/made/today $<TARGET_FILE:rooflab_program>)
  add_test(NAME made.inputs COMMAND ${made_today})
  add_test(NAME made.configured COMMAND ${made_today} --configured)
  set_tests_properties(made.inputs PROPERTIES LABELS cases TIMEOUT 120)
  set_tests_properties(made.configured PROPERTIES LABELS python TIMEOUT 300 SKIP_RETURN_CODE 77)
  set_tests_properties(made.inputs made.configured PROPERTIES
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;OMP_NUM_THREADS=1")
endif()
