# Seconds of processor time (two cores, Release): ctest starts the dearest tests first, so that none of them ends alone.
set_tests_properties(MutantTable.IsWhatTheMutantsGive PROPERTIES COST 250)
set_tests_properties(check.ci PROPERTIES COST 250)
set_tests_properties(assay.check.checked PROPERTIES COST 90)
set_tests_properties(golden.verify PROPERTIES COST 40)
set_tests_properties(plugin.tutorial PROPERTIES COST 40)
set_tests_properties(check.random_schedule PROPERTIES COST 25)
