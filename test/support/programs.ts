/** Finds the programs that tests start. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether this is a file that can be started. */
export function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}

/** The folders of the variable PATH. */
export const foldersOn = ({ PATH: path = '' }: NodeJS.ProcessEnv): string[] => path.split(delimiter).filter((folder) => folder !== '');

/** @returns undefined if no folder contains the program. */
export const findProgram = (name: string, folders: readonly string[]): string | undefined =>
	folders.map((folder) => join(folder, name)).find(isProgram);
