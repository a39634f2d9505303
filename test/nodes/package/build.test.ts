import { dirname, join } from 'node:path';

import ts from 'typescript';

const root = join(__dirname, '../../..');

it('P3: what is built is what runs: nothing that only helps with sources that are not packed', () => {
	const path = join(root, 'tsconfig.json');
	const config = ts.parseJsonConfigFileContent(ts.readConfigFile(path, ts.sys.readFile).config, ts.sys, dirname(path), undefined, path);
	const built = config.fileNames.flatMap((name) => ts.getOutputFileNames(config, name, false));
	expect(built.length).toBeGreaterThan(100);
	expect(built.filter((name) => !name.endsWith('.js'))).toEqual([]);
});
