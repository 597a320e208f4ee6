#include "core/base/system_reason.h"

#include <cerrno>
#include <cstring>

namespace tunebench {

std::string systemReason(int error)
{
    switch (error) {
    case ENOENT:
        return "there is no such file or folder";
    case EACCES:
    case EPERM:
        return "you have no permission";
    case EISDIR:
        return "it is a folder";
    case ENOSPC:
    case EDQUOT:
        return "the disk is full; free some space and try again";
    case EFBIG:
        return "the file would become larger than the system allows; raise the limit (ulimit -f) and try again";
    case EROFS:
        return "the disk is read-only; make it writable and try again";
    case EIO:
        return "the disk does not answer as it should; check it (dmesg tells more) and try again";
    default:
        return std::strerror(error);
    }
}

} // namespace tunebench
