// Preloaded into a supervisor: on SIGUSR2 it hangs in a loop, and answers nothing any more.
process.on('SIGUSR2', () => {
  for (;;);
})
