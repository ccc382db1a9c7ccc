import { afterEach, beforeEach } from 'vitest'
import { engineLoans } from '../engine/engine-loans.ts'

beforeEach(() => engineLoans.open())
// The hooks of a file come before: what is registered first ends last.
afterEach(() => engineLoans.close())
