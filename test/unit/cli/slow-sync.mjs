import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** What a sync of a worn disk takes at times. */
const MILLISECONDS = 150

const { fdatasync } = fs
fs.fdatasync = (file, done) => {
  setTimeout(() => fdatasync(file, done), MILLISECONDS)
}
syncBuiltinESMExports()
