#pragma once

namespace tunebench {

/// Makes other programs go first: adds `by` to the nice value of the calling thread (setpriority(2); 19 at most), for
/// the rest of its life, since taking it back needs a privilege. Threads that it starts afterwards, LibTorch's workers
/// among them, inherit it; no other thread of the process is touched. Without effect where the system refuses.
void lowerThreadPriority(int by);

} // namespace tunebench
