import { type AbiParameter, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { abiItem } from '../../../../host/explorer/page/decode/abi/abi-item.ts'
import { AbiCall } from '../../../../host/toolkit/abi-call.ts'
import type { JsonValue } from '../../../../host/toolkit/abi-value.ts'
import { ActionError } from '../../../../host/toolkit/action-error.ts'
import { parseAbi } from '../../../../host/wallet/policy/calldata.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { bySet } from '../../../support/run/by-set.ts'
import { type CompiledFunction, drawFunctions, drawLibrary } from './drawn-functions.ts'

const CONTRACTS = bySet(2, 10)
const EACH = bySet(300, 500)
const seed = runSeed()

/** Returns the signature by which a policy identifies a function, or undefined if it refuses the ABI. */
function policySignature(entry: object): string | undefined {
  try {
    const [[selector, found] = []] = parseAbi([entry], 'abi')
    return `${found?.signature} ${selector}`
  } catch {
    return undefined
  }
}

/** Returns a parameter in human-readable form. */
function textOf(parameter: AbiParameter): string {
  if (!parameter.type.startsWith('tuple')) return parameter.type
  const { components } = parameter as { components: readonly AbiParameter[] }
  return `(${components.map(textOf).join(', ')})${parameter.type.slice('tuple'.length)}`
}

function nothingOf({
  type,
  components,
}: AbiParameter & { components?: readonly AbiParameter[] }): JsonValue {
  const [, item, length] = /^(.*)\[(\d*)\]$/.exec(type) ?? []
  if (item !== undefined) {
    const one = () => nothingOf({ type: item, components } as AbiParameter)
    return Array.from({ length: Number(length) }, one)
  }
  if (type === 'tuple') return (components ?? []).map(nothingOf)
  if (type === 'bool') return false
  if (type === 'string') return ''
  if (type === 'bytes') return '0x'
  if (type === 'address') return `0x${'00'.repeat(20)}`
  if (type.startsWith('bytes')) return `0x${'00'.repeat(Number(type.slice(5)))}`
  return '0'
}

/** Returns the selector with which the toolkit calls a function, or undefined if it cannot encode the arguments. */
function toolkitSelector({ name, inputs }: CompiledFunction['entry']): string | undefined {
  const parameters = inputs as readonly AbiParameter[]
  try {
    const call = new AbiCall(`function ${name}(${parameters.map(textOf).join(', ')})`)
    return call.encode(parameters.map(nothingOf)).slice(2, 10)
  } catch (error) {
    if (error instanceof ActionError) return undefined
    throw error
  }
}

test('a function-type parameter has the type function in a signature, and not the bytes24 of its encoding', () => {
  const entry = { type: 'function', name: 'onDone', inputs: [{ type: 'function' }] }
  const selector = toFunctionSelector('onDone(function)').slice(2)
  expect(policySignature(entry)).toBe(`onDone(function) ${selector}`)
})

describe(`the selectors of functions equal those of the compiler (seed ${seed})`, () => {
  const random = makeRandom(seed)

  test.each(Array.from({ length: CONTRACTS }, (_, at) => at))('for contract %i', (at) => {
    const functions = drawFunctions(EACH, random)
    expect(functions).toHaveLength(EACH)
    let called = 0
    for (const { entry, signature, selector } of functions) {
      expect(policySignature(entry)).toBe(`${signature} ${selector}`)
      const shown = abiItem(entry, 'given', 'drawn')
      expect([shown?.signature, shown?.selector]).toEqual([signature, `0x${selector}`])
      // One compilation is enough to see how the toolkit names types.
      if (at > 0) continue
      const own = toolkitSelector(entry)
      if (own === undefined) expect(signature).toMatch(/function/)
      else {
        called++
        expect(own, signature).toBe(selector)
      }
    }
    if (at === 0) expect(called).toBeGreaterThan(EACH / 3)
  })

  test('for libraries too, unless they are refused', () => {
    const functions = drawLibrary(EACH, random)
    let same = 0
    let refused = 0
    for (const { entry, signature, selector } of functions) {
      const policy = policySignature(entry)
      const shown = abiItem(entry, 'given', 'drawn')
      expect(shown === undefined).toBe(policy === undefined)
      if (policy === undefined) {
        refused++
        // Library signatures contain names of enums, contracts and storage locations, which are not ABI types.
        expect(signature).toMatch(/Kind|Outside|Other|S\d| storage/)
        continue
      }
      // A struct in memory is a tuple in the ABI but a name in a library's signature. The ABI does not tell that it
      // is a library's.
      if (/Types\.S\d/.test(signature)) continue
      same++
      expect(policy).toBe(`${signature} ${selector}`)
      expect(shown?.selector).toBe(`0x${selector}`)
    }
    expect([same > 0, refused > 0]).toEqual([true, true])
  })
})
