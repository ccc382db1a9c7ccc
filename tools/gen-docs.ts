// Writes the reference pages that come from tables in the source. A test compares them.
import { writeFileSync } from 'node:fs'
import { methodReference } from '../host/rpc/method-reference.ts'
import { METHODS } from '../host/rpc/methods.ts'

const page = new URL('../host/rpc/METHODS.md', import.meta.url)
writeFileSync(page, methodReference(METHODS))
