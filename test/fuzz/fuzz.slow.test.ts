import { describe } from 'vitest'
import { testAgreement } from './agreement.ts'

// The seeds after those of fuzz.test.ts.
describe('the engine and EthereumJS', () => testAgreement(20_100, 500))
