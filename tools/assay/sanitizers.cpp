// What AddressSanitizer asks a program that it is built into.
#ifdef __SANITIZE_ADDRESS__

/// A kernel's crash is a verdict, told from its signal: AddressSanitizer would end the process with exit code 1.
extern "C" const char* __asan_default_options() { return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0"; }

/// LeakSanitizer's tracer faults while it walks the thread-local blocks of kernel images.
extern "C" int __lsan_is_turned_off() { return 1; }

#endif
