import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Duration of a sync on a slow disk. */
const MILLISECONDS = 150

const { fdatasync } = fs
fs.fdatasync = (file, done) => {
  setTimeout(() => fdatasync(file, done), MILLISECONDS)
}
syncBuiltinESMExports()
