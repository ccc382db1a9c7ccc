import type { Tab } from '../../support/browser/browser.ts'

/** Returns what of a page no scrolling leads to, and whether the page itself scrolls sideways; empty if all is well. */
export function outOfReach(tab: Tab): Promise<readonly string[]> {
  return tab.evaluate(() => {
    const { documentElement: page } = document
    const width = page.clientWidth
    const found: string[] = []
    if (page.scrollWidth > width) found.push(`the page is ${page.scrollWidth} wide`)
    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} "${(element.textContent ?? '').slice(0, 40)}"`
    /** Content for screen readers only is a clipped point. */
    const isHidden = (element: Element) => element.closest('.visually-hidden, thead') !== null
    const scrolls = (element: Element) => {
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        const { overflowX } = getComputedStyle(at)
        if (overflowX === 'auto' || overflowX === 'scroll') return true
      }
      return false
    }
    for (const element of document.body.querySelectorAll('*')) {
      const box = element.getBoundingClientRect()
      if (box.width === 0 || box.height === 0 || isHidden(element)) continue
      const style = getComputedStyle(element)
      if ((box.right > width + 1 || box.left < -1) && !scrolls(element)) {
        found.push(`${nameOf(element)} ends at ${Math.round(box.right)} of ${width}`)
      }
      // Cut text must be there in full as a title, or behind the row that shows it.
      const isCut = style.overflowX === 'hidden' && element.scrollWidth > element.clientWidth + 1
      if (isCut && !['auto', 'scroll'].includes(style.overflowX)) {
        const holder = element.closest('[title], [aria-label], [role=treeitem], button, a, input')
        if (holder === null) found.push(`${nameOf(element)} is cut`)
      }
    }
    return found.slice(0, 6)
  })
}
