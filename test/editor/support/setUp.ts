import { rm } from 'node:fs/promises';
import setUpHost from '../../e2e/support/hostSetup';
import { evidenceFolder } from './screenshots';
import { findChromium } from './browser';

/** Looks for the browser first: starting n8n takes a while. */
export default async function setUp(): Promise<void> {
	findChromium();
	await rm(evidenceFolder, { recursive: true, force: true });
	await setUpHost();
}
