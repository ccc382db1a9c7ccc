// Loaded into a process before its own code: writes the URL of each module that its main thread loads to $MODULES.
const { appendFileSync } = require('node:fs')
const { registerHooks } = require('node:module')
const { isMainThread } = require('node:worker_threads')

if (isMainThread) {
  registerHooks({
    load(url, context, nextLoad) {
      appendFileSync(process.env.MODULES, `${url}\n`)
      return nextLoad(url, context)
    },
  })
}
