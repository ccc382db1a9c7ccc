// Keeps one core busy until the process that started it goes away: between two slices it looks whether it still has one.
const SLICE_MS = 50

process.on('disconnect', () => process.exit())

function spin() {
  const end = performance.now() + SLICE_MS
  while (performance.now() < end);
  setImmediate(spin)
}

spin()
