import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { redactText } from '../../../host/log/redact-text.ts'

/** Lines as logs, configurations and shells have them. «» stand around what is to be hidden. */
const CORPUS: { readonly hidden: readonly string[]; readonly kept: readonly string[] } = JSON.parse(
  readFileSync(new URL('./redaction-corpus.json', import.meta.url), 'utf8'),
)

const MARKED = /«([^»]*)»/g

/** Parts of a secret that would tell of it. */
function partsOf(secret: string): readonly string[] {
  return [secret, ...secret.split(/[^\w+/=.-]+/).filter((part) => part.length >= 6)]
}

describe('the corpus', () => {
  test.each(CORPUS.hidden)('hides what is marked in %s', (line) => {
    const secrets = [...line.matchAll(MARKED)].map(([, secret]) => secret as string)
    const around = line.replace(MARKED, '')
    const shown = redactText(line.replace(MARKED, '$1'))
    expect(secrets.length).toBeGreaterThan(0)
    expect(shown).toContain('[redacted]')
    const told = secrets.flatMap(partsOf).filter((part) => !around.includes(part))
    expect(told.filter((part) => shown.includes(part))).toEqual([])
  })

  test.each(CORPUS.kept)('leaves %s', (line) => expect(redactText(line)).toBe(line))

  test('is hidden as well inside of JSON, and JSON stays JSON', () => {
    const lines = CORPUS.hidden.map((line) => line.replace(MARKED, '$1'))
    for (const line of [...lines, ...CORPUS.kept]) {
      const shown = redactText(JSON.stringify({ message: line, height: 7 }))
      expect(JSON.parse(shown)).toMatchObject({ height: 7 })
    }
  })
})

test('hides what is known to be secret wherever it stands, unless it is too short to tell', () => {
  expect(redactText('a=correcthorse b=horse', ['correcthorse', 'horse'])).toBe(
    'a=[redacted] b=horse',
  )
})

test('reads text that it has redacted as it is', () => {
  for (const line of CORPUS.hidden) {
    const shown = redactText(line.replace(MARKED, '$1'))
    expect(redactText(shown)).toBe(shown)
  }
})
