// Preloaded into a process: writes a line to $THREADS with the file of each thread that starts, and with the error of
// each that crashes.
const { appendFileSync } = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const { basename } = require('node:path')
const threads = require('node:worker_threads')

function note(line) {
  appendFileSync(process.env.THREADS, `${line}\n`)
}

class WatchedWorker extends threads.Worker {
  constructor(script, options) {
    super(script, options)
    const file = basename(script.pathname)
    this.once('online', () => note(file))
    // For example a module that the package lacks
    this.once('error', ({ message }) => note(`${file}: ${message}`))
  }
}

threads.Worker = WatchedWorker
syncBuiltinESMExports()
