"""The prediction and the verdict inside of the tools that people train with: a module for each."""
