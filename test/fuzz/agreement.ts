import { expect, test } from 'vitest'
import { engineInBlock } from '../support/engine/engine-fixture.ts'
import { differ } from './differ.ts'
import { generateScenario } from './scenario.ts'

/** Declares the test that runs so many generated scenarios on the engine and on EthereumJS. */
export function testAgreement(firstSeed: number, scenarios: number): void {
  test(`agree on ${scenarios} generated scenarios from seed ${firstSeed}`, async () => {
    const engine = await engineInBlock()
    const found: string[] = []
    for (let seed = firstSeed; seed < firstSeed + scenarios; seed++) {
      const { difference } = await differ(engine, generateScenario(seed))
      if (difference !== undefined) found.push(`seed ${seed}: ${difference.text}`)
    }
    expect(found).toEqual([])
  }, 120_000)
}
