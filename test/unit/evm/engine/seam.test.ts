import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { REVISIONS } from '../../../../host/evm/chain-types/revision.ts'
import { MESSAGE_FLAG } from '../../../../host/evm/engine/generated/message-flag.ts'
import { REJECTIONS } from '../../../../host/evm/engine/generated/rejection.ts'
import { readModule } from '../../../../host/node/wasm.ts'
import { FAULTS } from '../../../../tools/tables/fault.ts'
import { PRECOMPILES } from '../../../../tools/tables/precompile.ts'
import { STATUSES } from '../../../../tools/tables/status.ts'

/** Returns `needBlockHash` as need-block-hash, the naming of WIT. */
function kebabName(name: string): string {
  return name.replace(/[A-Z]/g, (letter, at) => `${at > 0 ? '-' : ''}${letter.toLowerCase()}`)
}

/** Returns the cases of a type of engine.wit, in order. */
function casesOf(type: `${'variant' | 'enum' | 'flags'} ${string}`): string[] {
  const wit = readFileSync(new URL('../../../../assembly/engine.wit', import.meta.url), 'utf8')
  const [, body = ''] = wit.split(`${type} {`)
  return (body.split('}')[0] as string)
    .split('\n')
    .map((line) => line.split('//')[0]?.trim() ?? '')
    .filter((line) => line !== '')
    .map((line) => line.split(/[(,]/)[0] as string)
}

describe('the tables between engine and host', () => {
  test('have a case in engine.wit for each status, in the order of their numbers', () => {
    expect(casesOf('variant status')).toEqual(STATUSES.map(({ name }) => kebabName(name)))
  })

  test('have each revision in engine.wit in order, and each flag of a message at its bit after `creation`', () => {
    expect(casesOf('enum revision')).toEqual(REVISIONS.map(kebabName))
    const flags = Object.entries(MESSAGE_FLAG)
    expect(flags.map(([, bit]) => bit)).toEqual(flags.map((_, i) => 1 << i))
    expect(['creation', ...casesOf('flags message-options')]).toEqual(
      flags.map(([name]) => kebabName(name)),
    )
  })

  test('have distinct row names, so that no constant is used twice', () => {
    for (const names of [
      STATUSES.map(({ name }) => name),
      FAULTS.map(({ name }) => name),
      PRECOMPILES.map(({ name }) => name),
      PRECOMPILES.map(({ address }) => address),
      REJECTIONS,
    ]) {
      expect(new Set<string | number>(names).size).toBe(names.length)
    }
  })
})

describe('the precompiles of pairing.wasm', async () => {
  const { instance } = await WebAssembly.instantiate(await readModule('pairing'), {})
  const { _initialize, begin } = instance.exports as {
    _initialize(): void
    begin(id: number, length: number): number
  }
  _initialize()

  /** Tells whether a precompile accepts an input of some length. The longest minimum is a pair of points. */
  function takesInput(id: number): boolean {
    for (let length = 1; length <= 600; length++) if (begin(id, length) > 0) return true
    return false
  }

  test('are exactly those that the table assigns to the host', () => {
    const found = Array.from({ length: 0x120 }, (_, id) => id).filter(takesInput)
    const expected = PRECOMPILES.filter(({ runs }) => runs === 'host').map(({ address }) => address)
    expect(found).toEqual(expected)
  })
})
