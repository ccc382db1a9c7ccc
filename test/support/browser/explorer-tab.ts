import { fileURLToPath } from 'node:url'
import { until } from '../until.ts'
import { type Tab, textOf } from './browser.ts'
import { type Site, serveFolder } from './site.ts'

const BUILT = fileURLToPath(new URL('../../../build/explorer/', import.meta.url))

/** Serves the files of the explorer from a plain file server. */
export function serveExplorer(): Promise<Site> {
  return serveFolder(BUILT)
}

/**
 * Waits until the page shows a text, with all white space treated alike.
 * @throws Error with the text of the page if it does not
 */
export async function shown(tab: Tab, text: string | RegExp): Promise<void> {
  let page = ''
  const has = () => (typeof text === 'string' ? page.includes(text) : text.test(page))
  try {
    await until(async () => {
      page = (await textOf(tab, 'body')).replace(/\s+/g, ' ')
      return has() || tab.troubles.length > 0
    })
  } catch (thrown) {
    throw new Error(`the page does not show ${text}, but: ${page}`, { cause: thrown })
  }
  if (!has()) throw new Error(`before the page showed ${text} it had an error`)
}

/**
 * Waits until the debugger is at a step that matches its own description, such as `Step 12, SSTORE, pc 7`.
 * @returns the number of the step
 * @throws Error with its current step if it does not get there
 */
export async function stands(tab: Tab, where: RegExp): Promise<number> {
  let said = ''
  const read = async () => {
    said = await textOf(tab, '[aria-label="Current step"]')
    return where.test(said)
  }
  try {
    await until(read)
  } catch (thrown) {
    throw new Error(`the debugger stands at "${said}", not at ${where}`, { cause: thrown })
  }
  return Number(/^Step (\d+)/.exec(said)?.[1])
}
