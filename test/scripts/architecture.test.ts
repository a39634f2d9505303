import { join } from 'node:path';

import { findSizeFaults, measureSizes } from '../../scripts/architecture/sizes';

it('no count of small files, large files or repeated type names is above its limit', () => {
	expect(findSizeFaults(measureSizes(join(__dirname, '../..')))).toEqual([]);
});
