BEGIN TRANSACTION;
CREATE TABLE jobs (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, key TEXT NOT NULL,
        priority INTEGER NOT NULL, payload TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'queued',
        stop INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL,
        rate REAL, error TEXT, result TEXT,
        created REAL NOT NULL, started REAL, updated REAL NOT NULL, owner TEXT);
INSERT INTO "jobs" VALUES(1,'score','c661c0622af57bbe',0,'{"run": "c661c0622af57bbe", "model": "mini-gpt", "topic": "Gender", "topic_name": "gender", "templates": "two", "evidence": "terms", "protocol": "exact", "within": null}','done',0,0,4,NULL,NULL,'{"run": "c661c0622af57bbe", "cells": 4, "scored": 4}',1.7953246018438506126e+09,1.79532460184430098532e+09,1.79532460310042548184e+09,NULL);
INSERT INTO "jobs" VALUES(2,'words','4c9a8edd1eb4d878',2,'{"model": "mini-gpt", "topic": {"name": "gender", "title": "Gender", "groups": [{"name": "male", "words": ["abbot", "actor", "uncle", "baron", "groom", "son", "emperor", "male", "boy", "boyfriend", "grandson", "heir", "him", "hero", "his", "himself", "host", "gentlemen", "lord", "sir", "manservant", "mister", "master", "father", "manny", "nephew", "monk", "priest", "prince", "king", "he", "brother", "tenor", "stepfather", "waiter", "widower", "husband", "man", "men"]}, {"name": "female", "words": ["abbess", "actress", "aunt", "baroness", "bride", "daughter", "empress", "female", "girl", "girlfriend", "granddaughter", "heiress", "her", "heroine", "hers", "herself", "hostess", "ladies", "lady", "madam", "maid", "miss", "mistress", "mother", "nanny", "niece", "nun", "priestess", "princess", "queen", "she", "sister", "soprano", "stepmother", "waitress", "widow", "wife", "woman", "women"]}], "aligned": true, "language": "en", "source": "Liu et al. 2024, Bias and Volatility (arXiv 2402.15481, NeurIPS 2024), Appendix D.2, Table 6", "notes": "The papers'' 40 pairs, aligned by position, less one. Gender is binary here because the papers'' lists are: nothing is said about anybody else. Some words have other meanings (host, lord, master, miss, tenor).", "left_out": [{"name": "canary", "reason": "it stands in both of the papers'' lists, so it says nothing about the group"}], "evidence": "occupations-bvf", "templates": "gender-wikipedia-100", "position": "subject"}, "text": "The nurse said that [Y]", "protocol": "exact", "dtype": "float32"}','cancelled',1,0,0,NULL,NULL,NULL,1.79532460310087227817e+09,NULL,1.79532460310108804698e+09,NULL);
INSERT INTO "jobs" VALUES(3,'score','never-claimed',0,'{"run": "never-claimed"}','queued',0,0,7,NULL,NULL,NULL,1.79532460310135889057e+09,NULL,1.79532460310135889057e+09,NULL);
INSERT INTO "jobs" VALUES(4,'mine','of-a-dead-worker',0,'{"corpus": "x"}','running',0,0,0,NULL,NULL,NULL,1.79532460310144424435e+09,NULL,1.79532460310144424435e+09,'elsewhere:7:9');
INSERT INTO "jobs" VALUES(5,'words','first',2,'{}','queued',0,0,0,NULL,NULL,NULL,1.79532460310157465938e+09,NULL,1.79532460310157465938e+09,NULL);
CREATE TABLE prompts (
        prompt BLOB NOT NULL, shard INTEGER NOT NULL, PRIMARY KEY (prompt, shard)) WITHOUT ROWID;
INSERT INTO "prompts" VALUES(X'020FCBD7E8C724EE419433343640905E',1);
INSERT INTO "prompts" VALUES(X'1C0FF126C90D1F3336809F3EA13F5C1E',1);
INSERT INTO "prompts" VALUES(X'BC5CDEF758D31557581AB66DB0351BF0',1);
INSERT INTO "prompts" VALUES(X'E7D377DD96023D9FFCD2D732017F5EFB',1);
CREATE TABLE shards (
        number INTEGER PRIMARY KEY, scoring TEXT NOT NULL, id TEXT NOT NULL,
        tokens TEXT NOT NULL, refused TEXT NOT NULL, UNIQUE (scoring, id));
INSERT INTO "shards" VALUES(1,'2bc44173247fa3ce','3e3e714aa3d89b71','{"abbot": 1, "actor": 1, "uncle": 1, "baron": 1, "groom": 1, "son": 1, "emperor": 1, "male": 1, "boy": 1, "boyfriend": 1, "grandson": 1, "heir": 1, "him": 1, "hero": 1, "his": 1, "himself": 1, "host": 1, "gentlemen": 1, "lord": 1, "sir": 1, "manservant": 1, "mister": 1, "master": 1, "father": 1, "manny": 1, "nephew": 1, "monk": 1, "priest": 1, "prince": 1, "king": 1, "he": 1, "brother": 1, "tenor": 1, "stepfather": 1, "waiter": 1, "widower": 1, "husband": 1, "man": 1, "men": 1, "abbess": 1, "actress": 1, "aunt": 1, "baroness": 1, "bride": 1, "daughter": 1, "empress": 1, "female": 1, "girl": 1, "girlfriend": 1, "granddaughter": 1, "heiress": 1, "her": 1, "heroine": 1, "hers": 1, "herself": 1, "hostess": 1, "ladies": 1, "lady": 1, "madam": 1, "maid": 1, "miss": 1, "mistress": 1, "mother": 1, "nanny": 1, "niece": 1, "nun": 1, "priestess": 1, "princess": 1, "queen": 1, "she": 1, "sister": 1, "soprano": 1, "stepmother": 1, "waitress": 1, "widow": 1, "wife": 1, "woman": 1, "women": 1}','{}');
CREATE TABLE spellings (
        shard INTEGER PRIMARY KEY, spelling TEXT NOT NULL, unspaced TEXT NOT NULL);
INSERT INTO "spellings" VALUES(1,'{"abbot": "abbot", "actor": "actor", "uncle": "uncle", "baron": "baron", "groom": "groom", "son": "son", "emperor": "emperor", "male": "male", "boy": "boy", "boyfriend": "boyfriend", "grandson": "grandson", "heir": "heir", "him": "him", "hero": "hero", "his": "his", "himself": "himself", "host": "host", "gentlemen": "gentlemen", "lord": "lord", "sir": "sir", "manservant": "manservant", "mister": "mister", "master": "master", "father": "father", "manny": "manny", "nephew": "nephew", "monk": "monk", "priest": "priest", "prince": "prince", "king": "king", "he": "he", "brother": "brother", "tenor": "tenor", "stepfather": "stepfather", "waiter": "waiter", "widower": "widower", "husband": "husband", "man": "man", "men": "men", "abbess": "abbess", "actress": "actress", "aunt": "aunt", "baroness": "baroness", "bride": "bride", "daughter": "daughter", "empress": "empress", "female": "female", "girl": "girl", "girlfriend": "girlfriend", "granddaughter": "granddaughter", "heiress": "heiress", "her": "her", "heroine": "heroine", "hers": "hers", "herself": "herself", "hostess": "hostess", "ladies": "ladies", "lady": "lady", "madam": "madam", "maid": "maid", "miss": "miss", "mistress": "mistress", "mother": "mother", "nanny": "nanny", "niece": "niece", "nun": "nun", "priestess": "priestess", "princess": "princess", "queen": "queen", "she": "she", "sister": "sister", "soprano": "soprano", "stepmother": "stepmother", "waitress": "waitress", "widow": "widow", "wife": "wife", "woman": "woman", "women": "women"}','[]');
CREATE TABLE warnings (
        scoring TEXT NOT NULL, shard TEXT NOT NULL, sentence TEXT NOT NULL, PRIMARY KEY (scoring, shard));
CREATE TABLE workers (
        owner TEXT PRIMARY KEY, started REAL NOT NULL, seen REAL NOT NULL, beat REAL NOT NULL);
INSERT INTO "workers" VALUES('elsewhere:7:9',1.79532460184439563756e+09,1000.0,68528.029706491);
CREATE UNIQUE INDEX active_jobs ON jobs (kind, key)
        WHERE state IN ('queued', 'running');
CREATE INDEX waiting_jobs ON jobs (priority DESC, id) WHERE state = 'queued';
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('jobs',5);
COMMIT;
