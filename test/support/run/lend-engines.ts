import { afterEach, beforeEach } from 'vitest'
import { engineLoans } from '../engine/engine-loans.ts'

beforeEach(() => engineLoans.open())
// Registered before the hooks of a file, so it runs last.
afterEach(() => engineLoans.close())
