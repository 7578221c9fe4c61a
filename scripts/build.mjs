#!/usr/bin/env node
import { bundleCli } from './bundle.mjs'

await bundleCli()
