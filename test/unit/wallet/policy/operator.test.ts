import { expect, test } from 'vitest'
import { holds } from '../../../../host/wallet/policy/operator.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { decide, messageOf } from '../../../support/wallet/policy-case.ts'

test(`the operator contains finds a part at any position, and in bytes only at whole bytes (seed ${runSeed()})`, () => {
  const random = makeRandom(runSeed())
  const draw = (below: number) => Math.floor(random() * below)
  const text = (length: number) => Array.from({ length }, () => 'ab'[draw(2)]).join('')
  let found = 0
  for (let round = 0; round < 3000; round++) {
    const whole = text(draw(30))
    const part = text(draw(8))
    expect(holds('text', whole, 'contains', part)).toBe(whole.includes(part))
    const [bytes, inner] = [`0x${text(2 * draw(15))}`, `0x${text(2 * draw(4))}`]
    const pairs = (hex: string) =>
      (hex.slice(2).match(/../g) ?? []).map((pair) => ` ${pair}`).join('')
    expect(holds('bytes', bytes, 'contains', inner)).toBe(pairs(bytes).includes(pairs(inner)))
    if (whole.includes(part)) found++
  }
  expect([found > 500, found < 2900]).toEqual([true, true])
})

test('the operator contains searches for a self-similar part in one pass', () => {
  const looks = { text: 0 }
  const whole = {
    length: 1 << 16,
    charCodeAt: () => {
      looks.text++
      return 97
    },
  } as unknown as string
  const part = `${'a'.repeat(4000)}b${'a'.repeat(4191)}`
  expect(holds('text', whole, 'contains', part)).toBe(false)
  expect(looks.text).toBe(1 << 16)
})

test('rules that compare more than the limit deny the request, whatever they say', () => {
  const condition = { field_source: 'message', field: 'content', operator: 'contains', value: 'x' }
  const rule = (action: string, conditions: unknown) => ({
    name: action,
    method: '*',
    action,
    conditions,
  })
  const many = Array.from({ length: 100 }, () => condition)
  const message = messageOf('x'.repeat(1 << 20))
  const few = decide([rule('ALLOW', [condition])], message)
  expect(few.allowed).toBe(true)
  const problem =
    'message.content: the rules compare more data than the signer allows for one request'
  const allowing = decide([rule('ALLOW', many)], message)
  expect([allowing.allowed, allowing.reason.includes(problem)]).toEqual([false, true])
  const none = { ...condition, value: 'y' }
  const denying = [rule('ALLOW', []), ...many.slice(1).map(() => rule('DENY', [none]))]
  expect(decide(denying, messageOf('short')).allowed).toBe(true)
  expect(decide(denying, message).reason).toContain(problem)
})
