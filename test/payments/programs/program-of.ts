import { readFileSync } from 'node:fs'
import { fencedBlocks } from '../../support/markdown-blocks.ts'

/** Returns the program of a page that imports a module of lockstep/payments. */
export function programOf(module: string, page: string): string {
  const blocks = fencedBlocks(readFileSync(page, 'utf8'))
  const found = blocks.find(({ text }) => text.includes(`from 'lockstep/payments/${module}'`))
  if (found === undefined) throw new Error(`no program of ${module}`)
  return found.text
}
