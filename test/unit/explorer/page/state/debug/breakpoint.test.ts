import { describe, expect, it } from 'vitest'
import {
  type Breakpoint,
  breakConditions,
  describeBreakpoint,
  describeStop,
  isSameStop,
  type Stop,
} from '../../../../../../host/explorer/page/state/debug/breakpoint.ts'
import {
  formatBreakpoints,
  parseBreakpoints,
  parseStop,
} from '../../../../../../host/explorer/page/state/debug/breakpoint-text.ts'
import { fullWord } from '../../../../../../host/explorer/page/state/debug/word.ts'
import { makeRandom, runSeed } from '../../../../../support/random.ts'

const A = `0x${'a1'.repeat(20)}` as const

describe('breakpoints as text', () => {
  it('are readable', () => {
    const breakpoints: Breakpoint[] = [
      { stop: { kind: 'opcode', name: 'SSTORE' }, isEnabled: true },
      { stop: { kind: 'pc', pc: 26, code: A }, isEnabled: false },
      { stop: { kind: 'line', path: 'src/My Token.sol', line: 12 }, isEnabled: true },
      { stop: { kind: 'slot', slot: fullWord(3n), address: undefined }, isEnabled: true },
      { stop: { kind: 'call', to: A }, isEnabled: true },
      { stop: { kind: 'gas', below: 5000 }, isEnabled: true },
    ]
    const text = `op:SSTORE,-pc:26@${A},line:src/My%20Token.sol:12,slot:0x3,call:${A},gas:5000`
    expect(formatBreakpoints(breakpoints)).toBe(text)
    expect(parseBreakpoints(text)).toEqual(breakpoints)
  })

  it('have conditions with any characters', () => {
    const when = 'order.note == "a,b?;100%" && balances[msg.sender] > 5'
    const breakpoints: Breakpoint[] = [
      { stop: { kind: 'line', path: 'A.sol', line: 12 }, when, isEnabled: false },
      { stop: { kind: 'gas', below: 5000 }, isEnabled: true },
    ]
    expect(parseBreakpoints(formatBreakpoints(breakpoints))).toEqual(breakpoints)
    expect(describeBreakpoint(breakpoints[0] as Breakpoint)).toBe(`A.sol:12 if ${when}`)
    expect(() => parseBreakpoints('gas:5?a%20b')).toThrow('expression "a b"')
    expect(() => parseBreakpoints('gas:5?%E0%A4%A')).toThrow('no condition')
  })

  it('may be empty', () => {
    expect(parseBreakpoints('')).toEqual([])
    expect(formatBreakpoints([])).toBe('')
  })

  it('are parsed in other notations too', () => {
    expect(parseStop(' op:sstore ')).toEqual({ kind: 'opcode', name: 'SSTORE' })
    expect(parseStop('pc:0x1a')).toEqual({ kind: 'pc', pc: 26, code: undefined })
    expect(parseStop(`call:${A.toUpperCase().replace('X', 'x')}`)).toEqual({ kind: 'call', to: A })
  })

  it.each([
    'op:',
    'op:SS TORE',
    'pc:-1',
    'pc:1@0x12',
    'line:12',
    'line:A.sol:0',
    'line:%E0%A4%A:3',
    'slot:7',
    `slot:0x${'1'.repeat(65)}`,
    'call:0x1',
    'gas:1.5',
    'jump:3',
    '',
  ])('cannot be %j, and the error shows an example', (text) => {
    expect(() => parseStop(text)).toThrow(
      `no breakpoint: ${JSON.stringify(text)}; write op:SSTORE, pc:26,`,
    )
  })

  const seed = runSeed()
  it(`are parsed back to the same breakpoints (LOCKSTEP_SEED=${seed})`, () => {
    const random = makeRandom(seed)
    for (let round = 0; round < 500; round++) {
      const breakpoints = Array.from({ length: Math.floor(random() * 6) }, () => ({
        stop: randomStop(random),
        isEnabled: random() < 0.5,
      }))
      expect(parseBreakpoints(formatBreakpoints(breakpoints))).toEqual(breakpoints)
    }
  })
})

describe('the conditions of breakpoints', () => {
  const places = (path: string, line: number) =>
    path === 'A.sol' && line === 3 ? [{ codeAddress: A, pcs: [4, 9] }] : []

  it('name their breakpoint, and omit disabled breakpoints', () => {
    const breakpoints: Breakpoint[] = [
      { stop: { kind: 'opcode', name: 'LOG1' }, isEnabled: false },
      { stop: { kind: 'line', path: 'B.sol', line: 3 }, isEnabled: true },
      { stop: { kind: 'line', path: 'A.sol', line: 3 }, isEnabled: true },
      { stop: { kind: 'slot', slot: fullWord(1n), address: A }, isEnabled: true },
      { stop: { kind: 'pc', pc: 7, code: undefined }, isEnabled: true },
      { stop: { kind: 'gas', below: 9 }, isEnabled: true },
    ]
    expect(breakConditions(breakpoints, places)).toEqual([
      { condition: { places: { codeAddress: A, pcs: [4, 9] } }, breakpoint: 2 },
      { condition: { slotWritten: { slot: fullWord(1n), address: A } }, breakpoint: 3 },
      { condition: { pc: 7 }, breakpoint: 4 },
      { condition: { gasBelow: 9 }, breakpoint: 5 },
    ])
  })

  it('do not depend on the order of their parts', () => {
    expect(isSameStop({ kind: 'pc', pc: 1, code: A }, { code: A, pc: 1, kind: 'pc' })).toBe(true)
    expect(isSameStop({ kind: 'pc', pc: 1, code: A }, { kind: 'pc', pc: 1, code: undefined })).toBe(
      false,
    )
  })

  it('are described in words', () => {
    expect(describeStop({ kind: 'slot', slot: fullWord(2n), address: A })).toBe(
      `slot 0x2 written in ${A}`,
    )
    expect(describeStop({ kind: 'line', path: 'A.sol', line: 3 })).toBe('A.sol:3')
  })
})

function randomStop(random: () => number): Stop {
  const number = Math.floor(random() * 1e6)
  const address = random() < 0.5 ? A : undefined
  const paths = ['A.sol', 'a,b@c:d%.sol', '-x/ü.sol', 'line:3', ' #?&.sol']
  const stops: readonly Stop[] = [
    { kind: 'opcode', name: ['ADD', 'LOG4', 'KECCAK256'][number % 3] as string },
    { kind: 'pc', pc: number, code: address },
    { kind: 'line', path: paths[number % paths.length] as string, line: number + 1 },
    { kind: 'slot', slot: fullWord(BigInt(number) << BigInt(number % 200)), address },
    { kind: 'call', to: A },
    { kind: 'gas', below: number },
  ]
  return stops[Math.floor(random() * stops.length)] as Stop
}
