// Exposes lockstep/browser to tests in a page, as the global `lockstep`, together with an incremental hash.
import { sha256 } from '@noble/hashes/sha2.js'
import { hexDigits } from '../../../host/base/hex.ts'
import * as lockstep from '../../../host/entry/browser.ts'

const program = { lockstep, sha256, hexDigits }

export type LibraryProgram = typeof program

Object.assign(globalThis, program)
