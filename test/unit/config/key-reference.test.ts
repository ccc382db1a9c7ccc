import { describe, expect, it } from 'vitest'
import { renderKeyReference } from '../../../host/config/key-reference.ts'

describe('host/config/KEYS.md', () => {
  it('is what the table gives (vitest -u writes it)', async () => {
    await expect(renderKeyReference()).toMatchFileSnapshot('../../../host/config/KEYS.md')
  })
})
