import { afterAll, expect, test } from 'vitest'
import { commandsOf, fencedBlocks, inlineCommands } from '../support/markdown-blocks.ts'
import { GUIDES, INSTEAD, readPage } from './readme/readme-parts.ts'
import { ReadmeReader, withoutComment } from './readme/readme-reader.ts'

const reader = await ReadmeReader.arrive()

afterAll(() => reader?.leave())

test('the guides only have code blocks of the languages that this test runs', () => {
  const pages = Object.values(GUIDES).flat().map(readPage)
  const blocks = pages.flatMap(fencedBlocks)
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['sh', 'js', 'toml']))
  const known = [
    ...blocks.flatMap(({ text }) => commandsOf(text)),
    ...pages.flatMap(inlineCommands),
  ]
  const commands = known.map(withoutComment)
  for (const command of Object.keys(INSTEAD)) expect(commands).toContain(command)
})

test('README is short enough for one sitting and links every guide', () => {
  const page = readPage('README.md')
  expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(200)
  for (const path of Object.values(GUIDES).flat()) {
    if (path !== 'README.md') expect(page).toContain(`](${path})`)
  }
})

test.skipIf(reader === undefined)(
  'the guides for developers, sellers and wallets work as described if followed in order with an empty home',
  () => reader?.read(GUIDES.developers),
  600_000,
)
