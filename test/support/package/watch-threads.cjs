// Loaded into a process before its own code: writes the file of each thread that runs to $THREADS, a line each.
const { appendFileSync } = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const { basename } = require('node:path')
const threads = require('node:worker_threads')

class WatchedWorker extends threads.Worker {
  constructor(script, options) {
    super(script, options)
    this.once('message', () => {
      appendFileSync(process.env.THREADS, `${basename(script.pathname)}\n`)
    })
  }
}

threads.Worker = WatchedWorker
syncBuiltinESMExports()
