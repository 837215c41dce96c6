# A test that is discovered has no properties before this; see COST in tools/CMakeLists.txt.
set_tests_properties(MutantTable.IsWhatTheMutantsGive PROPERTIES COST 200 TIMEOUT 1800)
