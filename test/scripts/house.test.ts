import { join } from 'node:path';

import { ALLOWED } from '../../scripts/house/allowed';
import { PLANS } from '../../scripts/house/floors';
import { faultsIn, surveyHouse } from '../../scripts/house/survey';

it('the modules follow the planned architecture', () => {
	expect(faultsIn(surveyHouse(join(__dirname, '../..'), PLANS), ALLOWED)).toEqual([]);
});
