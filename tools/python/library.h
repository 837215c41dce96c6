/* libassay.so: what `assay check` does, for programs in other languages. Plain C; the plug-in ABI (fixtures/plugin/assay_plugin.h) says how
 * a kernel is handed over: here as a description in memory, whose callbacks may be closures of an interpreter.
 *
 * Nothing is thrown. Texts that are handed back are UTF-8, end with a zero and belong to the caller, who gives them to assay_free(). One
 * call at a time in a process. Where the kernel takes the process down, this library goes with it. */
#ifndef ASSAY_LIBRARY_H
#define ASSAY_LIBRARY_H

#include "fixtures/plugin/assay_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is to be checked, or fuzzed. Texts may be NULL where that is said. */
typedef struct assay_request {
  uint32_t size;                          /* of this structure in bytes */
  const assay_plugin_description* plugin; /* its one kernel; lives during the call */
  const char* suite;                      /* of which the contract's cases are taken: a name or a file's path; NULL: none */
  const char* lines;                      /* cases or reproducers besides, one a line; NULL: none */
  const char* laws;                       /* names separated by spaces, with * and ?; NULL: those that the lines name, else all */
  const char* fixed;                      /* name=value, separated by spaces: parameters that every case has; NULL: none */
  uint64_t seed;                          /* of the drawn cases */
  int32_t cases;                          /* to draw besides */
  int32_t judge_all;                      /* 1: every element of large matrix products, not a sample */
  double shrink_seconds;                  /* for each failure */
  int32_t (*interrupted)(void);           /* asked now and then: other than 0 ends the call at once with 2; NULL: it goes on to its end */
  double seconds;                         /* fuzzing: of all runs on the journal together; 0: no limit, `cases` is one */
  int32_t jobs;                           /* fuzzing: processes */
  const char* journal;                    /* fuzzing: a file to write to and to go on from; NULL: none */
  const char* operands;                   /* checking: a .safetensors file (`assay check --tensors`), the operands of the only case, whose line
                                             `fixed` has what does not follow from shapes; then suite, lines and cases are not looked at */
} assay_request;

/* The exit code of `assay check`: 0 all passed, 1 a failure, 2 bad input, 3 nothing was checked, or part of it proves too little. *text is
 * the report as a terminal shows it, or after 2 one line that says what is wrong; *json the same report, or NULL. */
ASSAY_PLUGIN_EXPORT int32_t assay_check(const assay_request*, char** text, char** json);

/* The same for `assay fuzz`. It runs the kernel in processes that it forks: the caller must not have used a GPU, and its other threads are
 * not there. Looks at plugin, seed, cases, interrupted, seconds, jobs and journal. */
ASSAY_PLUGIN_EXPORT int32_t assay_fuzz(const assay_request*, char** text, char** json);

/* 0, and what `assay list <contract>` prints (NULL: of everything); or 2, and one line that says what is wrong. */
ASSAY_PLUGIN_EXPORT int32_t assay_list(const char* contract, char** text);

/* A DLManagedTensor of DLPack (before 1.0) over the tensor's memory, which it does not own: shape and strides are copies, its deleter frees
 * them. What consumers call "dltensor". */
ASSAY_PLUGIN_EXPORT void* assay_dlpack(const assay_tensor*);

ASSAY_PLUGIN_EXPORT void assay_free(char* text);

/* The version of Assay, and sizeof(assay_request) of this library. */
ASSAY_PLUGIN_EXPORT const char* assay_version(void);
ASSAY_PLUGIN_EXPORT uint32_t assay_request_size(void);

#ifdef __cplusplus
}
#endif
#endif /* ASSAY_LIBRARY_H */
