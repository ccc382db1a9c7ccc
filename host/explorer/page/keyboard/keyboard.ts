import type { Explorer } from '../state/explorer.ts'
import { SHORTCUTS, shortcutOf } from './shortcuts.ts'

/** Elements that use typed characters themselves. */
const TYPED = 'input, textarea, select, [contenteditable="true"], .cm-editor'

/** Handles shortcuts for any focus except text inputs. Returns a function that stops it. */
export function listenToKeys(document: Document, explorer: Explorer): () => void {
  const onKey = (event: KeyboardEvent) => {
    const target = event.target instanceof Element ? event.target : undefined
    if (target?.closest(TYPED)) {
      if (event.key === 'Escape' && target instanceof HTMLElement) target.blur()
      return
    }
    const shortcut = shortcutOf(SHORTCUTS, event)
    if (shortcut === undefined) return
    // While the help is open only its own key works: the page behind it is hidden.
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
