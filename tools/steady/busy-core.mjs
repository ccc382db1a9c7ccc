// Keeps one core busy until its parent process ends, which it checks between two slices.
const SLICE_MS = 50

process.on('disconnect', () => process.exit())

function spin() {
  const end = performance.now() + SLICE_MS
  while (performance.now() < end);
  setImmediate(spin)
}

spin()
