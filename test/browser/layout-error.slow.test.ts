import { checkLayoutOf, longestNode } from './explorer/check-layout.ts'

checkLayoutOf('failedWithError', longestNode())
