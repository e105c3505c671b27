"""The closed classes of English words that tell how the words of a task belong together, and everyday words around a task.

Words of objects, rooms and kinds come from the world (`core.goals.vocabulary`), verbs from `core.goals.parser.verb_lexicon`.
"""

from __future__ import annotations

from core.goals.kinds import KIND_WORDS
from core.goals.parser.restrictions import STATE_WORDS, WAS_WORDS


def word_set(words: str) -> frozenset[str]:
    """Returns the words of a text as a set."""
    return frozenset(words.split())


NUMBERS = word_set("one two three four five six seven eight nine ten eleven twelve dozen")
POSSESSIVES = word_set("my your his her our their its")
ARTICLES = word_set("the a an this that these those any some no") | POSSESSIVES
QUANTIFIERS = word_set(
    "all every each both half several few many most enough plenty lots couple pair either exactly precisely another other "
    "remaining")
DETERMINERS = ARTICLES | QUANTIFIERS | NUMBERS
OBJECT_PRONOUNS = word_set("it them this that these those both all everything him her one some")
"""Pronouns for things; him and her only for toys."""
GENERIC = word_set("thing things object objects item items stuff one ones")
"""Nouns that name nothing: they mean what was named before them, if something was."""
SPEAKER = word_set("me us")
SUBJECTS = word_set(
    "i we he she they it this that there you who everybody everyone nobody someone somebody anyone anybody what these those "
    "people one")
NOT_GIVEN = "in the robot's hand: this world has nobody to give it to"
"""How a task is taken that gives something to a person."""
OTHERS = word_set("he she nobody everybody everyone somebody someone")
"""Subjects other than the robot, the speaker and things: what they do or do not do is no task."""
PEOPLE = word_set(
    "mum mom mummy mommy dad daddy mother father grandma grandpa granny grandad granddad gran nan nana grandmother "
    "grandfather aunt auntie uncle brother sister son daughter husband wife boss doctor nurse carer neighbour neighbours "
    "neighbor neighbors guest guests visitor visitors kid kids child children baby babies boy girl cat dog lady man woman "
    "friend friends family wife teacher landlord parents user operator patient resident mr mrs ms miss")
CALLED = "the person"
"""Before the name of a person in the plain form of a command."""
LIQUIDS = word_set("water coffee tea")
"""What vessels are filled with. Simulators know filled vessels, not what is in them."""
BE = word_set("is are was were be been being am 's 're 'm isn't")
HAVE = word_set("has have had having 've")
DO = word_set("do does did")
MODALS = word_set("must should shall can could will would may might ought 'd 'll wo ca sha cannot")
REQUESTS = word_set("can could would will wo might may")
"""Modals with "you" in a request: could you close it."""
DUTY = word_set("must should shall ought")
NEGATIONS = word_set("not n't never no none nothing nobody neither nor cannot without hardly nowhere")
QUESTION_WORDS = word_set("what where who when why how which whose")
COORDINATORS = word_set("and then but or so plus nor")
REASONS = word_set("because since as though although whereas like in_case by_the_time")
CONDITIONS = word_set(
    "if unless except until till instead rather provided assuming apart only than whenever otherwise")
"""Words that limit a task in ways that goals cannot say."""
EXCEPT = "except"
"""Before what is left out in the plain form of a command."""
EXCEPTIONS = word_set("except except_for excluding apart_from aside_from other_than")
"""Words before what a task with "all" leaves out."""
UNLIKE = "unlike"
"""Before what is set against the things of a command, in its plain form."""
ELSEWHERE = "elsewhere than"
"""Before a place that will not do in the plain form of a command: anywhere but the kitchen table."""
LATER = ">"
"""Before a plain clause that is to be done after those before it."""
KEEP = "keep"
"""The plain verb of what is to stay as it is."""
ANYWHERE = word_set("anywhere somewhere elsewhere")
TIME_RELATIONS = word_set("before after once when while whilst")
PLACES = word_set(
    "in into inside on onto upon to at from off under beneath underneath near beside behind between over above below around "
    "against by within towards toward next_to close_to in_front_of out_of on_top_of off_of from_under along_to inside_of "
    "from_on from_in from_off")
PREPOSITIONS = PLACES | word_set("with for of about using during per via")
PARTICLES = word_set(
    "up down off on out away back over in along round around together forward through across")
STATES = frozenset({*STATE_WORDS, *WAS_WORDS}) | word_set("on off running empty out tidy heated shut closed clear plugged_in")
GREETINGS = word_set(
    "help hi hello hey hiya yo oi oh ah um uh er erm hmm mm well okay ok right alright listen ugh argh oops whoops wow omg "
    "gosh yes yeah yep yup no_problem lol haha ha xx x howdy greetings man dude mate buddy bro pal darling dear love "
    "sweetie honey robot bot sir madam friend please kindly thanks thank_you cheers ta pls sorry damn ooh aw aww "
    "good_morning good_evening good_afternoon good_night good_day excuse_me thank_goodness never_mind god robo belvedere "
    "oh_no goodness_me for_crying_out_loud come_on come_on_then get_on_with_it forget_it got_it understood "
    "never_mind_the_mess "
    "fine hmmm eh huh anyway now_then k yay great gimme bless_you pretty_please")
SOFT = word_set(
    "just simply quickly carefully gently now quick possibly maybe perhaps kindly also really literally actually right_now "
    "immediately straight_away right_away at_once too again already finally still very asap first_thing nicely neatly "
    "properly well_done straight directly somewhere anywhere basically honestly obviously quietly slowly as_well of_course "
    "for_now this_time for_me for_us for_him for_her once_more all_right somehow please kindly safely tidily ever even quite "
    "in_the_end at_the_end at_the_end_of_the_episode at_the_end_of_the_task at_the_end_of_the_trial by_the_end "
    "at_the_end_of_the_run at_last for_good if_possible today tonight this_evening this_morning "
    "this_afternoon at_some_point you_know sort_of kind_of kinda sorta like_this by_the_way though either_way "
    "at_all_times soon currently presently at_least there_you_go in_particular on_your_own okay ok right a_lot so_much "
    "very_much in_advance a_sec a_second a_moment a_minute for_a_moment for_a_minute for_a_while a_bit let_'s_see "
    "let_me_see right_then well_then ok_then okay_then or_whatever or_something or_so before_bed for_bed nothing_else "
    "within_reach within_easy_reach within_my_reach "
    "within_his_reach within_her_reach within_their_reach into_pieces in_pieces altogether completely fully entirely all_over "
    "poor_thing poor_things silly_me as_usual as_always for_some_reason of_all_places to_be_precise to_be_exact "
    "for_a_bit this_instant this_minute right_this_minute till_then "
    "by_yourself all_by_yourself in_one_go no_matter_what "
    "hurry_up last_time like_last_time as_soon_as_possible as_soon_as_you_can "
    "as_quickly_as_you_can you_know_what_i_mean thanks_a_million be_careful "
    "believe_it_or_not if_you_ask_me for_goodness_sake")
"""Adverbs and set phrases that change nothing. Those joined by "_" are several words."""
TIMES = word_set(
    "dinner lunch breakfast supper teatime bedtime today tonight tomorrow later evening morning night afternoon now weekend "
    "school work guests party lunchtime dinnertime")
"""What "before", "after" or "for" may name without changing a task: the robot begins at once."""
CLOCK = word_set(
    "minute minutes hour hours second seconds o'clock noon midnight am pm times twice tomorrow yesterday degrees week "
    "monday tuesday wednesday thursday friday saturday sunday")
ORDER = word_set(
    "then afterwards next finally lastly subsequently thereafter second secondly next_thing third thirdly fourth fourthly "
    "last_of_all after_that after_this after_which when_done when_that_is_done only_then following_that")
FIRST = word_set(
    "first firstly first_of_all to_begin_with to_start_with first_up first_thing before_anything_else "
    "before_you_do_anything_else beforehand first_things_first")
REPAIRS = word_set(
    "no wait sorry i_mean i_meant or actually rather scratch_that "
    "make_that hang_on oops no_wait or_no not_that oh er um correction "
    "or_rather or_better or_better_still")
STRONG_REPAIRS = word_set(
    "correction no_wait i_mean i_meant scratch_that make_that or_no not_that or_rather or_better or_better_still wait sorry "
    "no")
ABSTRACT = word_set(
    "care caution noise sound fuss delay pleasure love hurry rush "
    "time times leisure pace speed order go turn peace style general "
    "case particular mind way honour fact short instant moment "
    "step arm hand hands sake favour goodness feelings hesitation excuses "
    "excuse discussion discussions offence offense worries matter "
    "ifs buts arguments argument complaints dawdling nonsense mess "
    "problem loud advance change force patience smile stress panic pressure trouble hassle attitude mistake mistakes accident "
    "accidents thought jokes joking kidding messing")
"""Nouns of manners and moods: with them a phrase says how, and not what or where."""
WELCOME = word_set(
    "lovely nice great good perfect wonderful ideal fantastic brilliant super fab appreciated welcome useful helpful handy "
    "fine cool awesome amazing delightful splendid excellent best better kind sweet happy glad grateful delighted pleased "
    "thankful ok okay possible alright moon trouble bother mind help")
"""Words by which a clause with "if you" is a request: it would be lovely if you closed it."""
POLITE_IF = word_set(
    "mind possible trouble ok okay alright all_right fine please bother may time chance moment minute second bothered handy "
    "busy free ready done wish like minds bothers a_moment a_minute a_second a_sec")
"""Words of an "if" or "when" clause that limits nothing."""
WANTS = word_set(
    "want wants wanted need needs like likes love loves fancy prefer prefers wish wishes require requires needing wanting "
    "expect")
ENSURE = word_set(
    "make_sure make_certain ensure see_to_it be_sure check double-check double_check verify remember take_care mind see_that")
ALWAYS_NOUNS = word_set(
    "thing things object objects item items stuff anything everything light lights lamp lamps contents floor ground door "
    "doors lid hands toast coffee tea") | frozenset(KIND_WORDS)

PHRASES = tuple(sorted({word.replace("_", " ")
                        for group in (PLACES, REASONS, EXCEPTIONS, GREETINGS, SOFT, ORDER, FIRST, REPAIRS, ENSURE, STATES)
                        for word in group if "_" in word}, key=len, reverse=True))
"""Words that are read as one, the longest first."""
