// lockstep/browser for the tests of a page: what they run there finds it in `lockstep`, beside a hash that takes
// bytes piece by piece.
import { sha256 } from '@noble/hashes/sha2.js'
import { hexDigits } from '../../../host/base/hex.ts'
import * as lockstep from '../../../host/entry/browser.ts'

const program = { lockstep, sha256, hexDigits }

export type LibraryProgram = typeof program

Object.assign(globalThis, program)
