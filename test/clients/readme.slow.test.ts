import { afterAll, expect, test } from 'vitest'
import { commandsOf, fencedBlocks, inlineCommands } from '../support/markdown-blocks.ts'
import { INSTEAD, PARTS, README } from './readme/readme-parts.ts'
import { ReadmeReader, withoutComment } from './readme/readme-reader.ts'

const reader = await ReadmeReader.arrive()

afterAll(() => reader?.leave())

test('README has only blocks of the kinds that are run', () => {
  const blocks = fencedBlocks(README)
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['sh', 'js', 'toml']))
  const known = [...blocks.flatMap(({ text }) => commandsOf(text)), ...inlineCommands(README)]
  const commands = known.map(withoutComment)
  for (const command of Object.keys(INSTEAD)) expect(commands).toContain(command)
})

test('README has the parts that are followed', () => {
  expect(Object.values(PARTS).map((part) => /^## .*$/m.exec(part)?.[0])).toEqual([
    '## Start',
    '## For operators',
    '## Changing the code',
  ])
  expect(Object.values(PARTS).join('')).toBe(README)
})

test.skipIf(reader === undefined)(
  'the README up to the part for operators works as described, followed from top to bottom in an empty home',
  () => reader?.read(PARTS.developers),
  600_000,
)
