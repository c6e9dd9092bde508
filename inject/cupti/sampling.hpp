#pragma once

#include <memory>

#include "profile/cupti_library.hpp"
#include "profile/sampling_thread.hpp"
#include "profile_file.hpp"
#include "rooflab/profile/profile_request.hpp"

namespace rooflab::inject {

/// A thread that samples a device into the file, and tells the user where the driver refuses.
/// `request` and `file` must outlive it.
[[nodiscard]] std::unique_ptr<profile::SamplingThread> sampling_of(
    const std::shared_ptr<const profile::CuptiLibrary>& cupti, int device,
    const profile::ProfileRequest& request, ProfileFile& file);

/// The device has ended all its work before the window closes on `sampling`, which may be null.
void close_sampling(profile::SamplingThread* sampling, const profile::CudaDriver& driver);

/// The window of a request opens: in a callback inside of the driver nobody waits for it.
void open_sampling(profile::SamplingThread* sampling, const profile::ProfileRequest& request);

}  // namespace rooflab::inject
