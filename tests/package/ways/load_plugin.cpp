// A program that knows nothing of the library and loads a plug-in that has it inside.

#include <dlfcn.h>

#include <iostream>

int main(int, char** arguments) {
  void* const plugin = ::dlopen(arguments[1], RTLD_NOW);
  if (plugin == nullptr) {
    std::cerr << ::dlerror() << "\n";
    return 1;
  }
  return reinterpret_cast<int (*)()>(::dlsym(plugin, "predict_resnet18"))();
}
