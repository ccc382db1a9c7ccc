import { describe, expect, test } from 'vitest'
import { typedDataProblem } from '../../../../host/evm/chain-types/typed-data.ts'
import type { PolicyAbiType } from '../../../../host/wallet/policy/abi-type.ts'
import { parseRuleTypes } from '../../../../host/wallet/policy/typed-data.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'

type Types = Record<string, { name: string; type: string }[]>

/** T0 has two members of T1, which has two of T2, and so on: 2^levels structs when expanded. */
function doubling(levels: number): Types {
  return Object.fromEntries(
    Array.from({ length: levels }, (_, at) => {
      const type = at + 1 < levels ? `T${at + 1}` : 'uint256'
      return [`T${at}`, ['x', 'y'].map((name) => ({ name, type }))]
    }),
  )
}

function reachable(type: PolicyAbiType, found: Set<PolicyAbiType> = new Set()): Set<PolicyAbiType> {
  if (found.has(type)) return found
  found.add(type)
  if (type.kind === 'array') reachable(type.item, found)
  if (type.kind === 'tuple') for (const member of type.members) reachable(member.type, found)
  return found
}

/** Returns a proxy of the value that counts reads of its members. */
function counted<Value extends object>(value: Value): { value: Value; looks: () => number } {
  let looks = 0
  const wrap = (inner: unknown): unknown =>
    typeof inner !== 'object' || inner === null
      ? inner
      : new Proxy(inner, {
          get(target, key) {
            looks++
            return wrap(Reflect.get(target, key))
          },
        })
  return { value: wrap(value) as Value, looks: () => looks }
}

/** Returns random structs that refer to each other, also in lists, and sometimes in a cycle. */
function drawTypes(random: () => number): Types {
  const draw = (below: number) => Math.floor(random() * below)
  const count = 2 + draw(40)
  const loops = random() < 0.2
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => {
      const members = Array.from({ length: 1 + draw(6) }, (_, index) => {
        const to = loops ? draw(count) : at + 1 + draw(count - at)
        const base = to < count && random() < 0.9 ? `T${to}` : 'uint8'
        return { name: `m${index}`, type: base + ['', '', '', '[]', '[2]', '[][3]'][draw(6)] }
      })
      return [`T${at}`, members]
    }),
  )
}

/** Returns a message with some members of the types, to any depth. */
function drawMessage(types: Types, name: string, random: () => number, depth = 0): unknown {
  const drawn = (type: string): unknown => {
    const [, item, length] = /^(.+)\[(\d*)\]$/.exec(type) ?? []
    if (item !== undefined) {
      const entries = length === '' ? Math.floor(random() * 3) : Number(length)
      return Array.from({ length: entries }, () => drawn(item))
    }
    return Object.hasOwn(types, type) ? drawMessage(types, type, random, depth + 1) : 7
  }
  const members = types[name] ?? []
  const given = members.filter(({ type }) => !type.startsWith('T') || depth < 4)
  return Object.fromEntries(given.map((member) => [member.name, drawn(member.type)]))
}

const sizeOf = (types: Types) =>
  Object.values(types).reduce((sum, members) => sum + 1 + members.length, 0)

describe('struct types of a client', () => {
  test('are created once if they are shared, however many paths lead to them', () => {
    const types = doubling(60)
    const { members } = parseRuleTypes({ types, primary_type: 'T0' }, 'typed_data')
    const found = new Set(members.flatMap(({ type }) => [...reachable(type)]))
    // 59 tuples, and the two integers of the last one.
    expect(found.size).toBe(61)
  })

  test(`cost time linear in their length for any graph (seed ${runSeed()})`, () => {
    const random = makeRandom(runSeed())
    let refused = 0
    for (let round = 0; round < 300; round++) {
      const types = drawTypes(random)
      const { value, looks } = counted({ types, primary_type: 'T0' })
      try {
        const { members } = parseRuleTypes(value, 'typed_data')
        const found = new Set(members.flatMap(({ type }) => [...reachable(type)]))
        // A member may be a list of lists, which adds three types at most.
        expect(found.size).toBeLessThanOrEqual(3 * sizeOf(types))
      } catch (error) {
        expect((error as Error).message).toMatch(/^typed_data: T0 holds itself$/)
        refused++
      }
      expect(looks()).toBeLessThanOrEqual(40 * sizeOf(types))
    }
    expect(refused).toBeGreaterThan(0)
    expect(refused).toBeLessThan(300)
  })

  test(`are examined with messages for 4,096 values at most (seed ${runSeed()})`, () => {
    const random = makeRandom(runSeed())
    const outcomes = new Map<string, number>()
    for (let round = 0; round < 200; round++) {
      const types = drawTypes(random)
      const message = drawMessage(types, 'T0', random)
      const data = counted({ types, primaryType: 'T0', domain: {}, message })
      const problem = typedDataProblem(data.value)
      const outcome = problem === undefined ? 'hashed' : problem.replace(/^.*?: /, '')
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      // Each value reads all members of its struct, and so do the values around it that are refused with it.
      expect(data.looks()).toBeLessThanOrEqual(50 * (4096 + sizeOf(types)))
    }
    expect(outcomes.get('hashed')).toBeGreaterThan(0)
  })

  test('that omit a thousand structs in each of 4,000 count as four million', () => {
    const members = Array.from({ length: 900 }, (_, at) => ({ name: `m${at}`, type: 'Leaf' }))
    const types = {
      Many: [{ name: 'items', type: 'Wide[]' }],
      Wide: members,
      Leaf: [{ name: 'x', type: 'uint8' }],
    }
    const message = { items: Array.from({ length: 4000 }, () => ({})) }
    const data = counted({ types, primaryType: 'Many', domain: {}, message })
    expect(typedDataProblem(data.value)).toBe(
      'message.items[4]: more than 4096 values would be hashed: sign fewer',
    )
    expect(data.looks()).toBeLessThan(30_000)
  })
})
