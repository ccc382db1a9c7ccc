import type { Explorer } from '../explorer.ts'
import { shortcutOf } from './shortcut.ts'
import { SHORTCUTS } from './shortcuts.ts'

/** Elements that take characters for themselves. */
const TYPED = 'input, textarea, select, [contenteditable="true"], .cm-editor'

/** Performs shortcuts wherever the focus is, but in what is typed into; answers with how to stop. */
export function listenToKeys(document: Document, explorer: Explorer): () => void {
  const onKey = (event: KeyboardEvent) => {
    const target = event.target instanceof Element ? event.target : undefined
    if (target?.closest(TYPED)) {
      if (event.key === 'Escape' && target instanceof HTMLElement) target.blur()
      return
    }
    const shortcut = shortcutOf(SHORTCUTS, event)
    if (shortcut === undefined) return
    // In the help only its own key works: what is behind it is not seen.
    if (explorer.isHelpOpen.value && !shortcut.keys.includes('?')) return
    const opening = explorer.opening.value
    if (shortcut.scope === 'run') {
      if (opening.kind !== 'open') return
      event.preventDefault()
      shortcut.perform(opening.run, explorer)
      return
    }
    event.preventDefault()
    shortcut.perform(explorer)
  }
  document.addEventListener('keydown', onKey)
  return () => document.removeEventListener('keydown', onKey)
}
