import type { ImportStep } from '../../chain/snapshot/import-snapshot.ts'
import type { Progress } from '../progress/progress.ts'

/** Shows a step of an import. */
export function showImportStep(step: ImportStep, progress: Progress): Promise<void> | undefined {
  switch (step.kind) {
    case 'resumed':
      progress.note(`Continuing after the ${step.chunks} chunks imported before`)
      return undefined
    case 'restarted':
      progress.note(`Removed the partial import of height ${step.height}: starting over`)
      return undefined
    case 'chunk':
      return progress.update(step.chunks, step.of)
    case 'proving':
      progress.stage({ label: 'Hashing rows', unit: 'rows' })
      progress.note('Hashing all rows and comparing them with the app hash')
      return undefined
    case 'loading':
      progress.stage({ label: 'Loading rows', unit: 'rows' })
      progress.note('Loading the state store from the start')
      return undefined
    case 'rows':
      return progress.update(step.rows)
  }
}
